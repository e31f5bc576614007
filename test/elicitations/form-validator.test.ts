import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { FormPattern } from '../../src/elicitations/form-pattern.js';
import { parseRequestedSchema } from '../../src/elicitations/form-schema.js';
import { checkSubmission } from '../../src/elicitations/form-submission.js';
import { countCompiled } from '../../src/elicitations/form-validator.js';

const parse = (properties: object) => parseRequestedSchema({ type: 'object', properties }, 'schema');
const matched = (pattern: string, more: object = {}) => ({ a: { type: 'string', pattern, ...more } });

/** Collects garbage first, so this counts what something still refers to. */
const livePatterns = () => queryObjects(FormPattern, { format: 'count' });

describe('compiled forms', () => {
  it('are kept for the next answers, whatever the order of keywords, the titles and the defaults', () => {
    const schema = parse({ ...matched('^kept$'), b: { type: 'boolean' } });
    const kept = countCompiled();
    parse({ b: { default: true, type: 'boolean', title: 'B' }, ...matched('^kept$', { description: 'A' }) });
    checkSubmission(schema, { a: 'kept' }, 'answers');
    expect(countCompiled()).toBe(kept);
    parse(matched('^other$'));
    expect(countCompiled()).toBe(kept + 1);
  });

  it('are forgotten with all that belongs to them, the oldest first', () => {
    for (let index = 0; index < 250; index++) parse(matched(`^count${index}$`));
    expect(countCompiled()).toBe(200);
    expect(livePatterns()).toBe(200);
  });

  it('are fewer when they are large', () => {
    const options = Array.from({ length: 900 }, (_, index) => `${index}`.padStart(50, '-'));
    for (let index = 0; index < 20; index++) parse({ a: { type: 'string', enum: [...options, `${index}`] } });
    expect(countCompiled()).toBeLessThanOrEqual(5);
    expect(livePatterns()).toBe(0);
  });
});
