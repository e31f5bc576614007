import { replicasSuite } from './replicas-suite.js';

const url = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
url.pathname = '/9';

replicasSuite('a Redis', { REDIS_URL: url.href });
