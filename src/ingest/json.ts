import { isObject, type JsonObject } from '../parse.js';

/** Objects of a stream are read by names written in code only; names from a stream belong in a `Map`. */
export { isObject, type JsonObject };

export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isObject(value) ? value : undefined;
}

/** The list at `key`; empty if there is none. */
export function listAt(object: JsonObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** The value at keys with dots between them. */
export const valueAt = (object: JsonObject, place: string): unknown =>
  place
    .split('.')
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      object,
    );

/** A whole number from 0 to 2^53-1. */
export function countAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The value, or undefined for text that is no JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** How many bytes base64 text stands for. */
export const base64Bytes = (text: string): number => Math.floor((text.replace(/[\s=]+/g, '').length * 3) / 4);
