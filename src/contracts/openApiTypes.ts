type Json = { readonly [member: string]: unknown }

/** Bodies by their media type. */
export type Content = Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>

export type OpenApiParameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: Json
  readonly example?: string
}

/** A response of its own, or a reference to one with a description of its own. */
export type OpenApiResponse = {
  readonly description: string
  readonly content?: Content
  readonly $ref?: string
}

export type OpenApiOperation = {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description?: string
  readonly security: readonly { readonly basic?: readonly [] }[]
  readonly parameters: readonly OpenApiParameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

/** As much of OpenAPI 3.1 as our documents use. */
export type OpenApiDocument = {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    /** Paragraphs with an empty line between them. */
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly [{ readonly url: string; readonly description: string }]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** By path, and there by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly securitySchemes: Json
    readonly responses: Readonly<Record<string, OpenApiResponse>>
    readonly schemas: Readonly<Record<string, Json>>
  }
}
