import { live, VISITORS } from "./history";
import { loadApi } from "./load-api";
import { globals } from "./world";

const loaded = await loadApi(globals);
const seed = Number(process.argv[2] ?? 1);
const t = performance.now(); const c = process.cpuUsage();
let n = 0;
for (let i = 0; i < Number(process.argv[3] ?? 5); i++) {
  const o = await live({ seed: seed + i, visitors: Array.from({ length: VISITORS }, (_, x) => x), without: new Set() }, loaded, process.argv[4] !== undefined);
  n += o.signUps;
  if (process.argv[4]) console.log(o.trace.join("\n"));
  if (o.violations.length) console.log(seed + i, o.faults.length, o.violations.slice(0, 8));
}
console.log(n, performance.now() - t, process.cpuUsage(c), (performance.now() - t) / n);
