import { shortListOf } from '../../base/words.ts'

/**
 * What a person should know after a rotation: which hosts may still have the old password and how that ends, and
 * where the new one has to go; empty where there is nothing to know.
 */
export function rotatedText(options: {
  readonly user: string
  /** Hosts that are not proved to have the new password. */
  readonly behind: readonly string[]
  /** Whether the file says where the password comes from. */
  readonly given: boolean
}): readonly string[] {
  const { user, behind, given } = options
  const them = behind.length === 1 ? 'it is' : 'they are'
  return [
    ...(behind.length === 0
      ? []
      : [
          `${shortListOf(behind, 8)} may still have the old password of ${user}; both are kept until ${them} verified to have the new one. Run \`muster users rotate ${user}\`, \`muster users apply\` or \`muster install\` to finish.`,
        ]),
    ...(given
      ? [
          `Put the new password where the file takes it from: until then \`muster install\` and \`muster users apply\` refuse.`,
        ]
      : []),
  ]
}
