import { lexicographicSortSchema, printSchema } from 'graphql';
import './artifacts/types.js';
import './citations/fields.js';
import './conversations/fields.js';
import './conversations/subscription.js';
import './credentials/fields.js';
import './elicitations/browsing.js';
import './elicitations/fields.js';
import './elicitations/subscription.js';
import './events/fields.js';
import './events/subscription.js';
import { metered } from './graphql/answer-meter.js';
import { builder } from './graphql/builder.js';
import './graphql/nodes.js';
import './sessions/fields.js';

/** What all domains offer, built once. */
export const schema = metered(builder.toSchema());

/** The schema as text, sorted, as `schema.graphql` holds it. */
export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
