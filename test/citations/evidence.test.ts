import { describe, expect, it } from 'vitest';
import { distinctSources, evidenceBase } from '../../src/citations/evidence.js';

describe('distinct sources', () => {
  it('are merged in order of first mention, the last value of each field winning', () => {
    expect(
      distinctSources([
        { sourceRef: 'a', title: 'Old', authors: ['Li'], year: 2001 },
        { sourceRef: 'b', fullTextAvailable: true },
        { sourceRef: 'a', title: 'New', authors: undefined, year: undefined, fullTextAvailable: false },
        { sourceRef: 'b', authors: [] },
      ]),
    ).toEqual([
      { sourceRef: 'a', title: 'New', authors: ['Li'], year: 2001, fullTextAvailable: false },
      { sourceRef: 'b', fullTextAvailable: true, authors: [] },
    ]);
  });
});

describe('the evidence base', () => {
  it('counts three citations of one source as one source', () => {
    const source = { sourceRef: 'a', year: 2001 };
    expect(evidenceBase([{ source }, { source }, { source: { ...source, year: 2003 } }])).toEqual({
      sourceCount: 1,
      earliestYear: 2003,
      latestYear: 2003,
    });
  });

  it('spans the years that are known, as numbers', () => {
    const citations = [{ sourceRef: 'a', year: 900 }, { sourceRef: 'b', year: 2020 }, { sourceRef: 'c' }];
    expect(evidenceBase(citations.map((source) => ({ source })))).toEqual({
      sourceCount: 3,
      earliestYear: 900,
      latestYear: 2020,
    });
    expect(evidenceBase([{ source: { sourceRef: 'c' } }])).toEqual({ sourceCount: 1 });
  });

  it('is null when nothing is cited', () => {
    expect(evidenceBase([])).toBeNull();
  });
});
