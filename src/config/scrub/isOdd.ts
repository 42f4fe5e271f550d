const signsInARow = /[!-,/:-@[-^`{-~]{3,}/g
const usualSigns = /^(?:[[\]{},"':&*!|<>?]+|:\/\/|(.)\1+)$/

/** Whether a text holds signs in a row that neither YAML nor an address needs: a password may look so. */
export const isOdd = (text: string): boolean =>
  (text.match(signsInARow) ?? []).some((signs) => !usualSigns.test(signs))
