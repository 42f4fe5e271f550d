import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'

type At = { readonly line: number; readonly span: Span }

/** A comment on a line of its own, without its sign. */
export type IniComment = At & { readonly kind: 'comment'; readonly text: string }

/** A whole line that is not INI. */
export type IniUnread = At & { readonly kind: 'unread'; readonly text: string }

export type IniOption = At & {
  readonly kind: 'option'
  /** As written. */
  readonly key: string
  readonly keySpan: Span
  /** As written, with quotes; `span` is its place. */
  readonly value: string
  /** Comment after the value on its line. */
  readonly comment?: string
  /** A blank and a backslash were removed at its end. */
  readonly backslash: boolean
}

export type IniItem = IniComment | IniUnread | IniOption

export type IniSection = At & {
  readonly name: string
  /** Its first line is an invalid section header: nothing below it can be used. */
  readonly broken: boolean
  /** Comments directly above its first line. */
  readonly lead: readonly IniComment[]
  readonly items: readonly IniItem[]
}

/** An INI file in its order; a repeated section is merged. */
export type IniFile = {
  /** Items before the first section. */
  readonly head: readonly IniItem[]
  readonly sections: readonly IniSection[]
  readonly findings: readonly Diagnostic[]
}
