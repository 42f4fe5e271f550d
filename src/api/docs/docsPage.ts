import { createHash } from 'node:crypto'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type {
  Content,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
} from '../../contracts/openApiTypes.ts'
import { type TextResponse, textResponse } from '../response.ts'
import { Html, html, listEntry, schemaList, typeMarkup, withCode } from './schemaList.ts'
import { style } from './style.ts'

/** A word for a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/**
 * A command that makes the call with the values of its examples. It asks for the password, and takes a body from
 * standard input: neither is an argument that other users of the machine can see.
 */
function curlLine(call: {
  readonly server: string
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}): string {
  const { server, method, path, operation } = call
  const { parameters, requestBody, security } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(parameters.find((it) => it.in === 'path' && it.name === name)?.example ?? name),
  )
  const query = parameters
    .filter((it) => it.in === 'query' && it.required)
    .map(({ name, example = '' }) => `${name}=${encodeURIComponent(example)}`)
  const url = `${server}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const body = requestBody?.content['application/json']?.example
  const words = [
    'curl --cacert authority.crt',
    ...(security.some((it) => it.basic) ? ['--user admin'] : []),
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    ...(body === undefined ? [] : ["--header 'Content-Type: application/json' --data @-"]),
    quoted(url),
  ]
  const line = words.join(' ')
  return body === undefined ? line : `${line} <<'END'\n${JSON.stringify(body, null, 2)}\nEND`
}

/** A call of the document. */
type Call = { readonly method: string; readonly path: string; readonly operation: OpenApiOperation }

const callsOf = ({ paths }: OpenApiDocument): readonly Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

const byTag = (document: OpenApiDocument) =>
  document.tags.map(({ name, description }) => ({
    name,
    description,
    id: `tag-${name.toLowerCase().replaceAll(' ', '-')}`,
    calls: callsOf(document).filter(({ operation }) => operation.tags[0] === name),
  }))

const methodOf = ({ method }: Call): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** A path that may be broken after each of its slashes. */
const breakable = (path: string): readonly Html[] =>
  path.split('/').map((segment, index) => (index === 0 ? html`` : html`<wbr>/${segment}`))

function navigation(document: OpenApiDocument): Html {
  const link = (call: Call): Html =>
    html`<li><a href="#${call.operation.operationId}">${methodOf(call)} <span>${breakable(shortPath(call.path))}</span></a></li>
`
  const groups = byTag(document).map(
    ({ name, id, calls }) => html`<h2><a href="#${id}">${name}</a></h2>
<ul>
${calls.map(link)}</ul>
`,
  )
  return html`<nav aria-label="Calls"><details open><summary>Calls</summary>
${groups}<h2><a href="#schemas">Schemas</a></h2></details></nav>`
}

const shortPath = (path: string): string =>
  path.replace(/^\/api\/v2(\/(manager|connector|replicator)(?=\/))?/, '')

/** Returns the login that a call needs, by its security requirements, and its access level. */
function loginWords({ method, operation: { security, description } }: Call): string {
  if (security.length === 0) return 'No login.'
  const level = description === undefined ? '' : ` ${description}`
  if (security.every(({ basic }) => basic)) return `Needs a login.${level}`
  if (method === 'GET') return 'A login is optional.'
  return `Needs a login, except for the first user of a host.${level}`
}

function parameterList({ parameters }: OpenApiOperation): Html {
  if (parameters.length === 0) return html``
  const entries = parameters.map(({ name, in: place, required, description, schema }) =>
    listEntry({
      name,
      kind: html`${place}, ${required ? 'required' : 'optional'}, ${typeMarkup(schema)}:`,
      description,
    }),
  )
  return html`<h4>Parameters</h4>
<ul>${entries}</ul>`
}

/** Returns the example of a body as it is sent: JSON with its indentation, text as it is. */
function exampleOf(title: string, content: Content): readonly Html[] {
  return Object.entries(content).map(([mediaType, { schema, example }]) => {
    const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2)
    return html`<div><h4>${title}: ${typeMarkup(schema)}, <code>${mediaType}</code></h4>
<pre>${text}</pre></div>`
  })
}

function errorList(responses: readonly (readonly [string, OpenApiResponse])[]): Html {
  const errors = responses.filter(([status]) => Number(status) >= 400)
  const lines = errors.flatMap(([status, { description }]) =>
    description.split('\n').map((line) => html`<li>${status} ${withCode(line.replace(/^- /, ''))}</li>\n`),
  )
  return html`<details class="errors"><summary>Errors</summary><ul>${lines}</ul></details>`
}

function callEntry(call: Call, server: string): Html {
  const { operation } = call
  const { operationId, summary, requestBody, responses } = operation
  const [success] = Object.entries(responses).filter(([status]) => status === '200')
  return html`<article id="${operationId}" aria-labelledby="${operationId}-name">
<h3 id="${operationId}-name">${methodOf(call)} <code>${breakable(call.path)}</code></h3>
<p>${withCode(summary)}</p>
<p class="faint">${withCode(loginWords(call))} Operation id: <code>${operationId}</code></p>
${parameterList(operation)}
<h4>curl</h4><pre class="curl">${curlLine({ server, ...call })}</pre>
<div class="examples">${exampleOf('Request', requestBody?.content ?? {})}${exampleOf('Response 200', success?.[1].content ?? {})}</div>
${errorList(Object.entries(responses))}
</article>
`
}

function errorSection({ components }: OpenApiDocument): readonly Html[] {
  return exampleOf('Error', components.responses.Problem?.content ?? {})
}

/** Renders the whole page for one document. */
export function renderDocs(document: OpenApiDocument): Html {
  const { info, servers } = document
  const [{ url }] = servers
  const title = `${info.title}, muster ${info.version}`
  const groups = byTag(document).map(
    ({ name, id, description, calls }) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${name}</h2><p>${description}</p>
${calls.map((call) => callEntry(call, url))}</section>
`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#calls">Skip to the calls</a>
<header>
<h1>${info.title}</h1>
<p>muster ${info.version} at <code>${url}</code> · <a href="${commonRoutes.openapi.path}">OpenAPI document</a></p>
</header>
<div class="columns">
${navigation(document)}
<main id="calls">
<section aria-labelledby="basics"><h2 id="basics">Basics</h2>
${info.description.split('\n\n').map((text) => html`<p>${withCode(text)}</p>\n`)}
<p>The curl commands ask for the password of the user <code>admin</code>. <code>authority.crt</code> is the certificate of
the cluster’s authority: <code>.muster/&lt;cluster&gt;/authority.crt</code> where muster runs, or the output of
<code>muster cert export</code>.</p>
<h3>Errors</h3>
<div class="examples">${errorSection(document)}</div></section>
${groups}<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${schemaList(document)}</section>
</main>
</div>
<footer class="faint">${title}. This page comes from the server itself and loads nothing else.</footer>
</body>
</html>
`
}

/**
 * Lets a browser apply our style sheet, by its digest, and nothing else: no script, request, frame or form
 * (Content Security Policy Level 3). The empty icon keeps it from asking for one.
 */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Builds the response of /docs. */
export const docsPage = (document: OpenApiDocument): TextResponse => ({
  ...textResponse(200, renderDocs(document).text),
  headers: ['Content-Security-Policy', policy, 'Referrer-Policy', 'no-referrer'],
})
