import fc from 'fast-check'

/** Pieces that YAML and the options give a meaning to. */
export const pieces = fc.oneof(
  fc.constantFrom(
    ...'{}[]:,-?!&*|>%@`"\'#\t\n\r\0 ~',
    '<<: *a',
    '&a ',
    '*a',
    '!env ',
    '!exec ',
    '---\n',
    '\ufeff',
  ),
  fc.constantFrom(
    '0.0.0.0',
    '80',
    'null',
    'options:',
    'hosts:',
    'ssh:',
    'db1',
    'true',
    '1e999',
    '0x10',
    '.nan',
    '# muster-ignore: unused-host, x y\n',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat({ max: 40 }),
  insert: pieces,
})

/** One of these texts after a few edits. */
export const mutationsOf = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 6 })).map(([text, edits]) =>
    edits.reduce((edited, { at, remove, insert }) => {
      const offset = Math.floor(at * edited.length)
      return edited.slice(0, offset) + insert + edited.slice(offset + remove)
    }, text),
  )
