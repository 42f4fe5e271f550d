/** How findings can be printed: by `muster validate`, `cert check` and `users verify`. */
export const validateFormats = ['text', 'json', 'sarif', 'junit', 'github'] as const

export type ValidateFormat = (typeof validateFormats)[number]
