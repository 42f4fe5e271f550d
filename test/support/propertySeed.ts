import fc from 'fast-check'

const { MUSTER_TEST_SEED } = process.env

// A run of all properties is the same run again, so that a change is never refused for what it did not touch. Another
// seed looks for what nobody knows yet.
fc.configureGlobal({ seed: MUSTER_TEST_SEED ? Number(MUSTER_TEST_SEED) : 20_260_101 })
