/** How `muster validate` can print findings. */
export const validateFormats = ['text', 'json', 'sarif', 'junit', 'github'] as const

export type ValidateFormat = (typeof validateFormats)[number]
