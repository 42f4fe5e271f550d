/**
 * A text as a literal of SQL, for names of channels, which both kinds of server take as literals. It holds only
 * with the sql_mode that `replication` sets before: without NO_BACKSLASH_ESCAPES.
 */
export const quoteText = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
