import { dropPrivileges } from '../api/dropPrivileges.ts'
import { createLog } from '../api/log.ts'
import { lineOutput, openLogFile } from '../api/logOutput.ts'
import { executable, removeText, writeText } from '../api/serverFiles.ts'
import { startServer } from '../api/startServer.ts'
import { processStartTime } from '../base/processIdentity.ts'
import { openComponent } from '../components/openComponent.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'

/** Exit code with which a manager asks its unit to kill the database server of its host: see templates/ and `crashOwnServer`. */
export const crashExitCode = 75

/**
 * Serves one component until SIGTERM or SIGINT; its log goes to the file of its settings, else to standard output. SIGHUP
 * reads the certificate again. Throws a `StartError` where it cannot.
 */
export async function serve(settings: ServerSettings, version: string): Promise<void> {
  dropPrivileges(settings)
  let crash: (() => void) | undefined
  const stopped = new Promise<NodeJS.Signals | 'crash'>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
    if (process.env.MUSTER_CRASH !== 'unit') return
    crash = () => {
      process.exitCode = crashExitCode
      resolve('crash')
    }
  })
  const { file } = settings.log ?? {}
  const log = createLog(settings, lineOutput(file === undefined ? 1 : openLogFile(file)))
  const component = await openComponent(settings, log, crash)
  try {
    await component.start?.()
    const server = await startServer({ settings, api: component.api, version, log })
    process.on('SIGHUP', () => server.reloadCertificate())
    const identity = `${process.pid} ${processStartTime('self') ?? '-'} ${executable()}\n`
    try {
      if (settings.pidFile !== undefined) writeText(settings.pidFile, identity)
      log.info({ version, port: server.port, socket: settings.socket }, 'serving')
      log.info({ signal: await stopped }, 'stopping')
    } finally {
      server.announceStop()
      await component.stop?.()
      await server.stop()
      if (settings.pidFile !== undefined) removeText(settings.pidFile, identity)
    }
  } finally {
    component.close()
  }
}
