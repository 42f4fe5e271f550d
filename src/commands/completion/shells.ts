/** The shells that are completed for. */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]
