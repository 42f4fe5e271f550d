/** An element as a reader of XML sees it. */
export type XmlElement = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly children: readonly XmlElement[]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

// https://www.w3.org/TR/xml/#charsets
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function fail(what: string): never {
  throw new Error(`not well-formed: ${what}`)
}

const decoded = (text: string): string =>
  text.replaceAll(/&([^;]*)(;?)/g, (_all, name: string, end: string) => {
    if (end === '') fail('& without ;')
    const code = /^#(\d+)$/.exec(name)?.[1]
    const character = code === undefined ? entities[name] : String.fromCodePoint(Number(code))
    if (character === undefined || forbidden.test(character)) fail(`&${name};`)
    return character
  })

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  const rest = text.replaceAll(/\s+([\w.-]+)="([^"<]*)"/g, (_all, name: string, value: string) => {
    if (name in attributes) fail(`${name} twice`)
    // A reader turns what is not written as a reference into spaces.
    attributes[name] = decoded(value.replaceAll(/[\t\n\r]/g, ' '))
    return ''
  })
  return rest.trim() === '' ? attributes : fail(`attributes ${rest}`)
}

/** Reads XML 1.0 without DTD, comments, CDATA and namespaces; throws for what is not well-formed. */
export function strictXml(xml: string): XmlElement {
  if (forbidden.test(xml)) fail('a forbidden character')
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === xml) fail('no declaration')
  const root = { name: '', attributes: {}, text: '', children: [] as XmlElement[] }
  const open: { name: string; attributes: Record<string, string>; text: string; children: XmlElement[] }[] = [
    root,
  ]
  for (const [token] of body.matchAll(/<[^>]*>|[^<]+/g)) {
    const top = open.at(-1) ?? fail('closed too often')
    const tag = /^<(\/?)([A-Za-z][\w-]*)((?:\s[^/]*(?:"[^"]*"[^/"]*)*)?)(\/?)>$/.exec(token)
    if (!token.startsWith('<')) {
      if (token.includes(']]>')) fail(']]> in text')
      if (top === root && token.trim() !== '') fail('text outside of the root')
      top.text += decoded(token.replaceAll(/\r\n?/g, '\n'))
      continue
    }
    const [, end, name = '', attributes = '', empty] = tag ?? fail(token)
    if (end === '/') {
      if (top === root || top.name !== name) fail(`</${name}>`)
      open.pop()
      continue
    }
    const made = { name, attributes: attributesOf(attributes), text: '', children: [] }
    top.children.push(made)
    if (empty !== '/') open.push(made)
  }
  const [element, second] = root.children
  if (open.length !== 1 || element === undefined || second !== undefined) fail('not one closed root')
  return element
}
