import { replicasSuite } from './replicas-suite.js';

replicasSuite('PostgreSQL itself');
