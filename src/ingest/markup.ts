const TAG = /<(?=\/?citations>)/g;

/** U+2060 after its `<`: a model that writes about our markup cannot be taken to write it. */
export const withoutMarkup = (text: string): string => text.replace(TAG, '<\u2060');

/** The reference of a message's nth citation, from 0. */
export const token = (index: number): string => `r${index + 1}`;

/** What follows a stretch of text that these tokens support. */
export const citationGroup = (tokens: readonly string[]): string =>
  `<citations>${tokens.join(',')}</citations>`;
