import type { GraphQLError } from 'graphql';

/**
 * What graphql-js says of a fault in a document or its variables, without the values that it quotes: where the fault is, what was expected
 * there and what kind of thing came (P10). Names of fields, arguments, variables and types stay, if they can be names.
 */
export function withoutValues({ message, originalError }: GraphQLError): string {
  // Of what fails in a field it is the same once more.
  const reason = originalError?.message === message ? '' : (originalError?.message ?? '');
  const variable = /^Variable "\$(\w+)" got invalid value /.exec(message);
  if (variable !== null) return ofVariable(variable, message, reason);
  const literal = /^(Expected value of type "[^"]*", found |Argument "\w+" has invalid value )/.exec(message);
  if (literal?.[1] !== undefined) {
    const kind = kindOf(message.slice(literal[1].length));
    return `${literal[1].replace('has invalid value', 'has an invalid value,')}${kind}. ${withoutValue(reason)}`.trimEnd();
  }
  return withoutValue(message, (kind) => `, got ${kind}`);
}

/** `quoted` is the value, then the path to it unless it is the variable itself, then the reason. */
function ofVariable([start, name]: RegExpExecArray, message: string, reason: string): string {
  const quoted = message.slice(start.length, message.endsWith(reason) ? -reason.length - 2 : undefined);
  const [at = ''] = / at "\w+(?:\.\w+|\[\d+\])+"$/.exec(quoted) ?? [];
  const expected = reason === '' ? 'expected another value.' : withoutValue(reason);
  return `Variable "$${name}" got ${kindOf(quoted)}${at}: ${expected}`;
}

/** What is quoted ends the message, or only a suggestion comes after it. `got` may add what kind of thing it was. */
function withoutValue(message: string, got: (kind: string) => string = () => ''): string {
  const scalar = /^((?:\w+|Enum "\w+") cannot represent [^:]*): (.*)$/s.exec(message);
  if (scalar?.[2] !== undefined) return `${scalar[1]}${got(kindOf(scalar[2]))}.`;
  return message
    .replace(/^Value ".*" does not exist in ("\w+" enum\.)/s, 'The value does not exist in $1')
    .replace(
      /^Field "(?!\w{1,64}" ).*" is not defined by type ("\w+"\.)/s,
      'A field is not defined by type $1',
    )
    .replace(/^(Syntax Error: .*?\b(?:String|BlockString|Int|Float)) ".*"\.$/s, '$1.')
    .replace(/^(Syntax Error: Invalid (?:Unicode|character) escape sequence): .*$/s, '$1.');
}

/** What kind of thing is quoted, as it begins. */
function kindOf(quoted: string): string {
  const [begin = ''] = /^(?:\w+|.)/s.exec(quoted) ?? [];
  if (begin === 'true' || begin === 'false') return 'a boolean';
  if (begin === 'null' || begin === 'undefined') return 'null';
  if (/^(?:[-\d]|NaN$|Infinity$)/.test(begin)) return 'a number';
  return KINDS[begin] ?? 'a name';
}

const KINDS: Readonly<Record<string, string>> = {
  '"': 'text',
  "'": 'text',
  '{': 'an object',
  '[': 'a list',
  $: 'a variable',
};
