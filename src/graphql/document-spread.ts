import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { DocumentLimits } from '../config.js';
import { tooMany } from './document-size.js';

/** Fields of a document when each fragment stands where it is spread: what is executed for one entry of each list. */
const MAX_FIELDS = 10_000;

/** How deep fields and fragments lie inside each other: graphql-js recurses as deep. */
const MAX_DEPTH = 128;

/** Pairs of fields with one name in one place, and pairs of fragments: validation compares each with each. */
const MAX_PAIRS = 50_000;

/**
 * Refuses a document that is short but means a lot: fragments that spread others twice grow by powers, and what stands side by side
 * under one name is compared by pairs. Knows no schema; a fragment within itself is left to validation, which says it better.
 * @throws QUERY_TOO_COMPLEX
 */
export function refuseSprawlingDocument({ definitions }: DocumentNode, limits: SpreadLimits): void {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const spread = new Spread(fragments, limits);
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) spread.enter(definition.selectionSet);
  }
  // Those that no operation reaches are validated all the same.
  for (const fragment of fragments) {
    if (!spread.entered.has(fragment)) spread.enter(fragment.selectionSet);
  }
}

type SpreadLimits = Pick<DocumentLimits, 'depth' | 'duplicates'>;

/** A selection and what it lies within. */
interface Place {
  readonly set: SelectionSetNode;
  /** Of fields. */
  readonly level: number;
  /** Of fields and fragments. */
  readonly depth: number;
  readonly within: Chain | undefined;
}

/** The fragments that a place lies within, the innermost first. */
interface Chain {
  readonly fragment: FragmentDefinitionNode;
  readonly outer: Chain | undefined;
}

interface PlacedField {
  readonly field: FieldNode;
  readonly place: Place;
}

/** Walks a document as execution would, and counts. */
class Spread {
  readonly entered = new Set<FragmentDefinitionNode>();
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #limits: SpreadLimits;
  #fields = 0;
  #pairs = 0;

  constructor(fragments: readonly FragmentDefinitionNode[], limits: SpreadLimits) {
    this.#limits = limits;
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  enter(set: SelectionSetNode): void {
    this.#enter([{ set, level: 1, depth: 0, within: undefined }]);
  }

  /** Fields of one name are one field of the answer, and what they select is one selection. */
  #enter(places: readonly Place[]): void {
    for (const same of this.#collect(places).values()) {
      const { duplicates } = this.#limits;
      if (same.length > duplicates)
        throw tooMany(duplicates, 'fields with one name in one place', same.length);
      this.#compare(same.length);
      const inner = same.flatMap(({ field: { selectionSet: set }, place: { level, depth, within } }) =>
        set === undefined ? [] : [{ set, level: level + 1, depth: depth + 1, within }],
      );
      if (inner.length > 0) this.#enter(inner);
    }
  }

  /** The fields of a selection by their name in the answer, those of its fragments among them. */
  #collect(places: readonly Place[]): ReadonlyMap<string, PlacedField[]> {
    const fields = new Map<string, PlacedField[]>();
    const spread = new Set<string>();
    const rest = [...places];
    for (let place = rest.pop(); place !== undefined; place = rest.pop()) {
      if (place.level > this.#limits.depth) throw tooMany(this.#limits.depth, 'levels of fields', 'more');
      if (place.depth > MAX_DEPTH) throw tooMany(MAX_DEPTH, 'levels of fields and fragments', 'more');
      for (const selection of place.set.selections) {
        this.#fields += 1;
        if (this.#fields > MAX_FIELDS)
          throw tooMany(MAX_FIELDS, 'fields, with each fragment where it is spread', 'more');
        if (selection.kind === Kind.FIELD) append(fields, selection, place);
        else rest.push(...this.#open(selection, place, spread));
      }
    }
    this.#compare(spread.size);
    return fields;
  }

  /** What stands in a fragment's place: nothing for one that this selection has already, that is not there, or that lies within itself. */
  #open(selection: Exclude<SelectionNode, FieldNode>, place: Place, spread: Set<string>): Place[] {
    if (selection.kind === Kind.INLINE_FRAGMENT) return [{ ...place, set: selection.selectionSet }];
    const name = selection.name.value;
    if (spread.has(name)) return [];
    spread.add(name);
    const fragment = this.#fragments.get(name);
    if (fragment === undefined || isWithin(place.within, fragment)) return [];
    this.entered.add(fragment);
    const within = { fragment, outer: place.within };
    return [{ ...place, set: fragment.selectionSet, depth: place.depth + 1, within }];
  }

  #compare(many: number): void {
    this.#pairs += (many * (many - 1)) / 2;
    if (this.#pairs > MAX_PAIRS)
      throw tooMany(MAX_PAIRS, 'pairs of fields with one name, or of fragments, in one place', 'more');
  }
}

function append(fields: Map<string, PlacedField[]>, field: FieldNode, place: Place): void {
  const name = (field.alias ?? field.name).value;
  const same = fields.get(name);
  if (same === undefined) fields.set(name, [{ field, place }]);
  else same.push({ field, place });
}

function isWithin(chain: Chain | undefined, fragment: FragmentDefinitionNode): boolean {
  for (let link = chain; link !== undefined; link = link.outer) if (link.fragment === fragment) return true;
  return false;
}
