/** Copies a text: in V8, a part of a text keeps all of that text in memory. */
export const detached = (text: string): string => Buffer.from(text).toString()
