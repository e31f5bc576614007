import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, VARIABLES } from '../../src/config.js';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: unknown;
}

const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const gateways = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** As compose fills it in: with what is set, or the default. */
const filled = (value: string): string =>
  value.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, __, byDefault = 'secret') => byDefault);

it('the two gateways are told nothing but variables that they read, with values that they take', () => {
  expect(gateways.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2']);
  for (const [, { environment = {} }] of gateways) {
    expect(Object.keys(environment).filter((name) => !VARIABLES.includes(name))).toEqual([]);
    const config = readConfig(
      Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)])),
    );
    expect(config).toMatchObject({
      production: true,
      host: '0.0.0.0',
      metrics: true,
      databaseUrl: 'postgresql://tidings:secret@postgres:5432/tidings',
      redisUrl: 'redis://redis:6379/0',
    });
    expect(config.trustedProxies.length).toBeGreaterThan(0);
  }
});

it('names only files, volumes and services that there are', () => {
  for (const [, { build, volumes: mounted = [], depends_on = {} }] of Object.entries(services)) {
    if (build !== undefined) expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
    for (const [from = ''] of mounted.map((mount) => mount.split(':'))) {
      expect(from.startsWith('.') ? existsSync(join(folder, from)) : from in volumes, from).toBe(true);
    }
    expect(Object.keys(depends_on).filter((name) => !(name in services))).toEqual([]);
  }
});

it('has nginx pass on to both gateways, where they listen', () => {
  const upstreams = [...read('nginx.conf').matchAll(/server ([\w-]+):(\d+) /g)].map(([, name, port]) => [
    name,
    port,
  ]);
  expect(upstreams).toEqual(gateways.map(([name, { environment }]) => [name, environment?.PORT]));
});

it('builds the image from files that there are, and from no secret', () => {
  const given = read('Dockerfile.dockerignore')
    .split('\n')
    .flatMap((line) => /^!(.+)$/.exec(line)?.slice(1) ?? []);
  expect(given.filter((path) => !existsSync(join(folder, '..', path)))).toEqual([]);
  expect(given).not.toContain('.env');
});
