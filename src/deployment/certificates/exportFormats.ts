/** What `muster cert export` can write. */
export const exportFormats = ['pem', 'p12', 'jks'] as const

export type ExportFormat = (typeof exportFormats)[number]
