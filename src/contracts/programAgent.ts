/**
 * User-Agent header of what components ask each other and muster asks the APIs on a host by itself. People's calls, such
 * as those of tapi, carry another. Nothing but the level of a line in the log follows from it.
 */
export const programAgent = 'muster'
