import { defaultTypeResolver, type GraphQLAbstractType, type GraphQLObjectType, isObjectType } from 'graphql';
import { bytesOfLeaf } from '../../graphql/answer-meter.js';
import { Flaw, type Scope, type Selected, selectionOf } from './selection.js';
import type { Shape } from './shape.js';

type Place = Record<string | number, unknown>;

/** One execution, given up at the first flaw: what is still being read then is of no interest. */
export class Run {
  readonly #scope: Scope;
  /** Values that have not come yet. */
  #awaited = 0;
  /** About how many bytes the answer has so far, counted as `graphql/answer-meter.ts` does. */
  #bytes = 0;
  #isOver = false;
  #settle: (isFlawless: boolean) => void = () => {};

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** The data, or undefined when anything is not as it should be. */
  async start(): Promise<Record<string, unknown> | undefined> {
    const type = this.#scope.schema.getQueryType();
    if (!type) return undefined;
    const settled = new Promise<boolean>((resolve) => {
      this.#settle = resolve;
    });
    this.#awaited = 1;
    try {
      const fields = selectionOf(this.#scope, type, [this.#scope.operation.selectionSet]);
      const data = this.#object(fields, undefined);
      this.#come();
      return (await settled) ? data : undefined;
    } catch {
      this.#isOver = true;
      return undefined;
    }
  }

  #come(): void {
    this.#awaited -= 1;
    if (this.#awaited === 0) this.#settle(true);
  }

  #giveUp(): void {
    this.#isOver = true;
    this.#settle(false);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#scope.context.operation.maxAnswer) throw new Flaw();
  }

  #object(fields: readonly Selected[], source: unknown): Place {
    const { context } = this.#scope;
    const object: Place = {};
    for (const field of fields) {
      this.#count(field.bytes);
      const value: unknown = field.resolve(source, field.args, context, field.info);
      this.#put(object, field.key, field, field.shape, value, field.isLeaf);
    }
    return object;
  }

  /** Puts what a value shows into its place, now or when it has come; the place is taken at once, so the order stays. */
  #put(
    into: Place,
    key: string | number,
    field: Selected,
    shape: Shape,
    value: unknown,
    counts: boolean,
  ): void {
    if (!isPromise(value)) {
      if (counts) this.#count(bytesOfLeaf(value));
      into[key] = this.#shown(field, shape, value);
      return;
    }
    into[key] = undefined;
    this.#awaited += 1;
    value.then(
      (come) => {
        if (this.#isOver) return;
        try {
          if (counts) this.#count(bytesOfLeaf(come));
          into[key] = this.#shown(field, shape, come);
          this.#come();
        } catch {
          this.#giveUp();
        }
      },
      () => this.#giveUp(),
    );
  }

  /** @throws Flaw, or whatever a resolver or a scalar throws. */
  #shown(field: Selected, shape: Shape, value: unknown): unknown {
    if (shape.kind === 'nonNull') {
      const shown = this.#shown(field, shape.of, value);
      if (shown === null) throw new Flaw();
      return shown;
    }
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    switch (shape.kind) {
      case 'list':
        return this.#list(field, shape.of, value);
      case 'leaf':
        return present(shape.type.serialize(value));
      case 'abstract':
        return this.#object(this.#below(field, this.#typeOf(field, shape.type, value), value), value);
      case 'object':
        return this.#object(this.#below(field, shape.type, value), value);
    }
  }

  /** What graphql-js takes for a list besides arrays is left to it. */
  #list(field: Selected, shape: Shape, items: unknown): unknown {
    if (!Array.isArray(items)) throw new Flaw();
    const list: unknown[] = new Array(items.length);
    let next = 0;
    try {
      for (; next < items.length; next++)
        this.#put(list as unknown as Place, next, field, shape, items[next], false);
    } catch (flaw) {
      // Nobody else would hear those that fail.
      for (const item of items.slice(next)) if (isPromise(item)) item.then(undefined, () => undefined);
      throw flaw;
    }
    return list;
  }

  #typeOf({ info }: Selected, type: GraphQLAbstractType, value: unknown): GraphQLObjectType {
    const { schema, context } = this.#scope;
    const name = (type.resolveType ?? defaultTypeResolver)(value, context, info, type);
    const found = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(found) || !schema.isSubType(type, found)) throw new Flaw();
    return found;
  }

  #below({ info, below }: Selected, type: GraphQLObjectType, value: unknown): readonly Selected[] {
    if (type.isTypeOf && type.isTypeOf(value, this.#scope.context, info) !== true) throw new Flaw();
    const known = below.get(type);
    if (known !== undefined) return known;
    const fields = selectionOf(
      this.#scope,
      type,
      info.fieldNodes.map(({ selectionSet }) => selectionSet),
    );
    below.set(type, fields);
    return fields;
  }
}

function present(serialized: unknown): unknown {
  if (serialized === null || serialized === undefined) throw new Flaw();
  return serialized;
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
