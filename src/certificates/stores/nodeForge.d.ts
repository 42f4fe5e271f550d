/** The parts of node-forge that are used: the whole takes ten times as long to load. */
declare module 'node-forge/lib/asn1.js' {
  import forge from 'node-forge'

  const asn1: typeof forge.asn1
  export = asn1
}

declare module 'node-forge/lib/rc2.js' {
  import forge from 'node-forge'

  const rc2: typeof forge.rc2
  export = rc2
}

declare module 'node-forge/lib/util.js' {
  import forge from 'node-forge'

  const util: typeof forge.util
  export = util
}
