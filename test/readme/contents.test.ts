import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config.js';
import type { ErrorCode } from '../../src/errors.js';
import { FORMAT_NAMES } from '../../src/ingest/formats.js';
import { schema } from '../../src/schema.js';
import { file, guide, PAGES, quoted, root, table } from './document.js';

describe('what the README and its pages tell', () => {
  it('is five minutes long, and every page is listed', () => {
    expect(file('README.md').split('\n').length).toBeLessThan(150);
    const pages = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\/README\.md$/.test(path))
      .map((path) => `src/${path}`);
    expect(PAGES.slice(1).sort()).toEqual(pages.sort());
  });

  it('is every variable and its default', () => {
    const told = table(guide, 'variable').map(([variable, value = '']) => [
      quoted(variable)[0],
      quoted(value)[0] ?? '',
    ]);
    expect(Object.fromEntries(told)).toEqual(parseEnv(file('.env.example')));
    expect(told.map(([variable]) => variable)).toEqual(VARIABLES);
  });

  it('is every code', () => {
    const codes: Record<ErrorCode, true> = {
      UNAUTHENTICATED: true,
      PLAN_UPGRADE_REQUIRED: true,
      FORBIDDEN: true,
      NOT_FOUND: true,
      BAD_USER_INPUT: true,
      INVALID_CURSOR: true,
      CONFLICT: true,
      RATE_LIMITED: true,
      QUERY_TOO_COMPLEX: true,
      PERSISTED_QUERY_NOT_FOUND: true,
      PAYLOAD_TOO_LARGE: true,
      TIMEOUT: true,
      SHUTTING_DOWN: true,
    };
    expect(table(guide, 'code').map(([code]) => quoted(code)[0])).toEqual([
      ...Object.keys(codes),
      'GRAPHQL_PARSE_FAILED',
      'GRAPHQL_VALIDATION_FAILED',
      'INTERNAL_SERVER_ERROR',
    ]);
  });

  it('is every format of raw streams', () => {
    expect(table(guide, 'format').map(([name]) => quoted(name)[0])).toEqual(FORMAT_NAMES);
  });

  it('is who may use each root field', () => {
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
      (type) => Object.keys(type?.getFields() ?? {}),
    );
    const told = table(guide, 'who may').flatMap(([doors]) => quoted(doors));
    expect(told.filter((door) => !door.startsWith('/')).sort()).toEqual(fields.sort());
  });

  it('links to what is there', () => {
    const links = [...PAGES, 'src/README.md', 'CHANGELOG.md'].flatMap((path) =>
      [...file(path).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = '']) => ({ path, link })),
    );
    const dead = links.filter(
      ({ path, link }) => !link.includes('://') && !existsSync(join(root, path, '..', link)),
    );
    expect(dead).toEqual([]);
  });
});

describe('the map in src/README.md', () => {
  const map = file('src/README.md');
  const mentioned = quoted(map);

  it('is short', () => {
    expect(map.split('\n').length).toBeLessThan(140);
  });

  it('names every part, in the order of the arrow', () => {
    const parts = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter(({ name }) => name !== 'README.md' && name !== 'generated')
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    const named = table(map, 'part').map(([part]) => quoted(part)[0] ?? '');
    expect(named.filter((part) => part !== 'generated/').sort()).toEqual(parts.sort());
    const [, arrow = ''] = /^(.* → cli)$/m.exec(map) ?? [];
    const drawn = arrow.split(/ → | /);
    expect([...new Set(named.map((part) => part.replace(/\/|\.ts$/, '')))]).toEqual(drawn);
  });

  it('names only files that are there', () => {
    const gone = mentioned.filter(
      (name) =>
        /^[a-z-]+\/[a-z-]+\.ts$/.test(name) &&
        !existsSync(join(root, name.startsWith('test/') ? '' : 'src', name)),
    );
    expect(gone).toEqual([]);
  });

  it('gives a reason for each dependency and each override', () => {
    const { dependencies, overrides } = JSON.parse(file('package.json'));
    const reasons = quoted(map.split('## Why each dependency')[1]);
    const packages = [...Object.keys(dependencies), ...Object.keys(overrides)];
    expect(packages.filter((name) => !reasons.includes(name))).toEqual([]);
    expect(reasons.filter((name) => !packages.includes(name) && !/ |\.ts$/.test(name))).toEqual([]);
  });
});
