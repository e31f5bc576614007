import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';

/**
 * A validation rule: a subscription selects its one field unconditionally (GraphQL, September 2025, 5.2.3.1). Otherwise its variables
 * may leave it without any, which graphql-js 16 finds out too late to say it. Alone in its pass: a rule of graphql-js looks for the
 * variables' values, and throws.
 */
export function UnconditionalSubscriptionRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== 'subscription') return false;
      for (const { selections } of rootSelections(context, selectionSet)) {
        const conditions = selections
          .flatMap(({ directives = [] }) => directives)
          .filter(({ name }) => name.value === 'skip' || name.value === 'include');
        if (conditions.length > 0) context.reportError(new GraphQLError(MESSAGE, { nodes: conditions }));
      }
      return false;
    },
    FragmentDefinition: () => false,
  };
}

const MESSAGE =
  'Expected the field of a subscription without @skip and @include. Leave the operation out instead.';

/** A subscription's own selection and those of its fragments. */
function rootSelections(context: ValidationContext, root: SelectionSetNode): Set<SelectionSetNode> {
  const found = new Set([root]);
  for (const { selections } of found) {
    for (const selection of selections) {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? context.getFragment(selection.name.value)?.selectionSet
          : selection.kind === Kind.INLINE_FRAGMENT && selection.selectionSet;
      if (inner) found.add(inner);
    }
  }
  return found;
}
