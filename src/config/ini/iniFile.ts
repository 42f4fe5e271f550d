import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'

type At = { readonly line: number; readonly span: Span }

/** A comment on a line of its own, without its sign. */
export type IniComment = At & { readonly kind: 'comment'; readonly text: string }

/** A line that is nothing of INI, whole. */
export type IniUnread = At & { readonly kind: 'unread'; readonly text: string }

export type IniOption = At & {
  readonly kind: 'option'
  /** As written. */
  readonly key: string
  readonly keySpan: Span
  /** As written, quotes included; `span` is its place. */
  readonly value: string
  /** What follows the value on its line. */
  readonly comment?: string
  /** A blank and a backslash were left out at its end. */
  readonly backslash: boolean
}

export type IniItem = IniComment | IniUnread | IniOption

export type IniSection = At & {
  readonly name: string
  /** Its first line is no section as it should be: nothing below it can be used. */
  readonly broken: boolean
  /** Comments directly above its first line. */
  readonly lead: readonly IniComment[]
  readonly items: readonly IniItem[]
}

/** An INI file as it stands there: everything in its order, a section that is given twice as one. */
export type IniFile = {
  /** What stands before the first section. */
  readonly head: readonly IniItem[]
  readonly sections: readonly IniSection[]
  readonly findings: readonly Diagnostic[]
}
