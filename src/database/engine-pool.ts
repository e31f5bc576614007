import type { Pool } from 'pg';
import type { Engine } from './engine.js';
import { createPool, type StatementObserver } from './pool.js';

/** PGlite's own extensions that the migrations may create, by name; part of the template. */
export const EXTENSIONS: readonly string[] = ['btree_gin', 'pg_trgm'];

/** The engine has one connection, so the pool has one, and keeps it. */
export const enginePool = (engine: Engine, onStatement?: StatementObserver): Pool =>
  createPool(
    { max: 1, idleTimeoutMillis: 0, user: 'postgres', database: 'postgres', stream: () => engine.connect() },
    { onStatement },
  );
