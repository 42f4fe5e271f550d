import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** A file of the page; both forms are in base64. */
type DashboardAsset = {
  /** Media type, with its charset. */
  readonly type: string
  /** Text that changes with the content, of letters and digits. */
  readonly tag: string
  readonly brotli: string
  readonly gzip: string
}

/** Files of the page by their names below `/dashboard/`; `index.html` stands for the folder itself. */
export type DashboardAssets = Readonly<Record<string, DashboardAsset>>

type Form = { readonly etag: string; readonly coding?: 'br' | 'gzip'; readonly body: Buffer }

/** Sends files of the page. */
type AssetServer = {
  /** Returns false where there is no such file; the response is untouched then. */
  send(name: string, request: IncomingMessage, response: ServerResponse): boolean
}

function accepts(header: string | string[] | undefined, coding: string): boolean {
  const parts = String(header ?? '')
    .split(',')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
  return parts.some(([name, weight]) => name === coding && !/^q=0(\.0*)?$/.test(weight ?? ''))
}

function formsOf({ tag, brotli, gzip }: DashboardAsset): readonly Form[] {
  const zipped = Buffer.from(gzip, 'base64')
  return [
    { etag: `"${tag}-br"`, coding: 'br', body: Buffer.from(brotli, 'base64') },
    { etag: `"${tag}-gz"`, coding: 'gzip', body: zipped },
    { etag: `"${tag}"`, body: gunzipSync(zipped) },
  ]
}

export function createAssetServer(assets: DashboardAssets): AssetServer {
  const decoded = new Map<string, readonly Form[]>()

  /** Decodes a file when it is asked for first: most managers never show their page. */
  function forms(name: string): readonly Form[] | undefined {
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined
    if (!asset) return undefined
    const known = decoded.get(name) ?? formsOf(asset)
    decoded.set(name, known)
    return known
  }

  return {
    send(name, request, response) {
      const form = forms(name)?.find(
        ({ coding }) => coding === undefined || accepts(request.headers['accept-encoding'], coding),
      )
      if (!form) return false
      const { etag, coding, body } = form
      response.setHeader('Cache-Control', 'no-cache')
      response.setHeader('ETag', etag)
      response.setHeader('Vary', 'Accept-Encoding')
      if (request.headers['if-none-match'] === etag) {
        response.writeHead(304).end()
        return true
      }
      response.setHeader('Content-Type', assets[name]?.type ?? '')
      response.setHeader('Content-Length', body.length)
      if (coding) response.setHeader('Content-Encoding', coding)
      response.writeHead(200).end(body)
      return true
    },
  }
}
