/** Parses an option that may be repeated: every value, in the order given. */
export const several = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]
