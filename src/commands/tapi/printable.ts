/** Text of a server without the control characters that would move the cursor or change the terminal. */
export const printable = (text: string): string => text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '\uFFFD')
