export const ActionsButton = (_: { readonly target: unknown }) => null
