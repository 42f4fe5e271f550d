/** What a person reads about a finding, beyond the words of the finding itself. */
export type Explanation = {
  /** A few words without a full stop, as a list of findings shows them. */
  readonly title: string
  /** Sentences; an empty one begins the next paragraph. Names, values and commands stand in backquotes. */
  readonly about: readonly string[]
  /** What the examples are; YAML unless told. */
  readonly language?: 'ini'
  /** A whole small file that makes this finding; comes together with `good`. */
  readonly bad?: string
  /** The same file, corrected. */
  readonly good?: string
  /** Shell commands that show the cause or mend it; a comment stands on a line of its own. */
  readonly commands?: string
}

/** The paragraphs of an explanation. */
export const paragraphsOf = ({ about }: Explanation): readonly string[] =>
  about
    .join('\n')
    .split('\n\n')
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
