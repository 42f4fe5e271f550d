/** The bridge of the lab with this id; a network device's name has at most 15 letters. */
export const bridgeOf = (id: string): string => `lab${id}`

/** A host's name on this machine, unique among all labs; with an empty host, what all of one lab begin with. */
export const machineOf = (id: string, host: string): string => `l${id}-${host}`
