#!/usr/bin/env node
import { muster } from '../commands/program.ts'
import { createProcessContext } from './processContext.ts'

process.exitCode = await muster({ argv: process.argv.slice(2), context: createProcessContext() })
