import { expect, it } from 'vitest'
import { tlsNotes } from '../../../src/deployment/desired/userProvidedStores.ts'

it('says once of many hosts what is true of all of them', () => {
  const many = Array.from({ length: 20 }, (_, index) => ({ host: `db${index}`, issued: '' }))
  const early = { host: 'web1', issued: 'expires soon' }
  expect(tlsNotes([...many, early])).toEqual([
    'issue certificates for db0, db1, db2, db3, db4, db5, db6, db7 and 12 more',
    'issue a certificate for web1: its present one expires soon',
  ])
  expect(tlsNotes([early, { ...early, host: 'web2' }])).toEqual([
    'issue certificates for web1 and web2: each present one expires soon',
  ])
  expect(tlsNotes([])).toEqual([])
})
