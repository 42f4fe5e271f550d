import { type Static, type TSchema, Type } from 'typebox'

/** Option of an object schema that takes no other members. */
export const exact = { additionalProperties: false }

/** Schema of a value that may be null. */
export const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(
  schema: Schema,
  description: string,
) => Type.Union([schema, Type.Null()], { description })

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T

/** Deeply readonly type of the values that a schema accepts. */
export type ReadonlyStatic<Schema extends TSchema> = DeepReadonly<Static<Schema>>
