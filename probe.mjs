import { createConnection } from 'mysql2/promise'
import { spawn, execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
const d = mkdtempSync('/tmp/pp-')
execFileSync('mariadb-install-db', ['--no-defaults','--auth-root-authentication-method=normal','--skip-test-db','--datadir='+d,'--user=root'])
const c = spawn('mariadbd', ['--no-defaults','--user=root','--datadir='+d,'--socket='+d+'/s','--port=33999','--bind-address=127.0.0.1','--skip-name-resolve'],{stdio:'ignore'})
let a
for(;;){ try { a = await createConnection({socketPath:d+'/s',user:'root'}); break } catch { await new Promise(r=>setTimeout(r,100)) } }
await a.query("CREATE USER app@'%' IDENTIFIED BY 'app'")
for (let i=0;i<8;i++){
  const u=process.cpuUsage(); const t=performance.now(); const times=[]
  const cs = await Promise.all(Array.from({length:40}, async()=>{const b=performance.now(); const x= await createConnection({host:'127.0.0.1',port:33999,user:'app',password:'app'}); times.push(performance.now()-b); return x}))
  const v=process.cpuUsage(u)
  console.log('40 connects', (performance.now()-t).toFixed(0),'ms; median', times.sort((x,y)=>x-y)[20].toFixed(0), 'cpu', (v.user+v.system)/1000)
  for (const x of cs) x.destroy()
  await new Promise(r=>setTimeout(r,300))
}
a.destroy(); c.kill('SIGKILL'); process.exit()
