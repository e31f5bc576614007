/**
 * A text as a search compares it: NFKC, then each code point lower-cased by itself, ς as σ. It is done here and not in the database,
 * so that no locale and no version of one changes what is found. Of all that `toLowerCase` does only Σ depends on what stands beside
 * it, and both that it may become are one after this.
 */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
