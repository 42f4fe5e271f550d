import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasKeytool, hasOpenssl, runTool } from '../../certificates/tools.ts'
import { type LoopbackServer, serveTls } from '../../support/loopbackServer.ts'
import { type CertCluster, certCluster } from './cluster.ts'

/** Calls each URL with Java's own client and prints the status, or why there is none. */
const program = `
import java.net.URI;
import java.net.http.*;

public class Call {
  public static void main(String[] urls) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (String url : urls) {
      try {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
      } catch (javax.net.ssl.SSLHandshakeException refused) {
        System.out.println(refused.getMessage().contains("PKIX") ? "untrusted" : refused.getMessage());
      }
    }
  }
}
`

describe.skipIf(!hasKeytool || !hasOpenssl)(
  'the files of muster cert export (needs a JDK, curl and openssl)',
  () => {
    let alpha: CertCluster
    let other: CertCluster
    let server: LoopbackServer
    let stranger: LoopbackServer
    const serve = ({ state }: CertCluster): Promise<LoopbackServer> => {
      const stores = state.hosts.get('db1')
      const leaf = { key: stores?.key.reveal() ?? '', cert: stores?.chain ?? '' }
      return serveTls(leaf, (_, answer) => answer.end('{}'))
    }
    beforeAll(async () => {
      ;[alpha, other] = await Promise.all([certCluster(), certCluster()])
      ;[server, stranger] = await Promise.all([serve(alpha), serve(other)])
      writeFileSync(alpha.path('Call.java'), program)
    })
    afterAll(async () => {
      await Promise.all([server.close(), stranger.close(), alpha.remove(), other.remove()])
    })

    it.each([
      ['p12', 'PKCS12'],
      ['jks', 'JKS'],
    ])("let Java's HttpClient trust the cluster alone: %s", async (format, type) => {
      const file = `trust.${format}`
      expect((await alpha.cert(['export', '--format', format, '--out', file])).code).toBe(0)
      const urls = [server.port, server.port, stranger.port].map(
        (port, index) => `https://${index === 0 ? 'localhost' : '127.0.0.1'}:${port}/`,
      )
      const trust = `-Djavax.net.ssl.trustStore=${alpha.path(file)}`
      const password = '-Djavax.net.ssl.trustStorePassword=changeit'
      const java = [
        trust,
        `-Djavax.net.ssl.trustStoreType=${type}`,
        password,
        alpha.path('Call.java'),
        ...urls,
      ]
      expect(await runTool('java', ...java)).toBe('200\n200\nuntrusted\n')
    })

    it('let curl and openssl s_client trust the cluster alone', async () => {
      expect((await alpha.cert(['export', '--out', 'ca.crt'])).code).toBe(0)
      const ca = alpha.path('ca.crt')
      const curl = (port: number) => runTool('curl', '-s', '-S', '--cacert', ca, `https://127.0.0.1:${port}/`)
      expect(await curl(server.port)).toBe('{}')
      await expect(curl(stranger.port)).rejects.toMatchObject({ code: 60 })
      const client = (port: number) =>
        runTool(
          'sh',
          '-c',
          `openssl s_client -connect 127.0.0.1:${port} -CAfile "$1" -verify_hostname db1 </dev/null 2>&1`,
          'sh',
          ca,
        )
      expect(await client(server.port)).toContain('Verify return code: 0 (ok)')
      expect(await client(stranger.port)).not.toContain('Verify return code: 0 (ok)')
    })
  },
)
