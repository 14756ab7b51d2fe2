// A day's work: teach a part, scan a batch, read its results, log a repair, and hear of it all.
//   node examples/day.mjs PHOTO...
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { connect, PartsightError } from '../src/index.js';

const paths = process.argv.slice(2);
if (paths.length < 2) throw new Error('usage: day.mjs PHOTO PHOTO...; the first one is taught');
const partsight = connect({
  url: process.env.PARTSIGHT_URL ?? 'http://localhost:8080',
  key: process.env.PARTSIGHT_API_KEY ?? '',
});
const photos = await Promise.all(paths.map(async (path) => [path, await readFile(path)]));

const listening = new AbortController();
const heard = [];
const stream = (async () => {
  for await (const event of partsight.events({ signal: listening.signal })) heard.push(event.type);
})().catch(() => undefined);

let taught;
let vehicle;
try {
  // Teach. That it looks like another part is a question; here it is answered with yes.
  const name = `Example part ${new Date().toISOString()}`;
  const fields = { category: 'engine', acceptCollision: 'true' };
  taught = await partsight.teach(name, [photos[0][1]], fields).catch((error) => {
    if (error instanceof PartsightError && error.status === 422) return console.log(`Not taught: ${error.message}`);
    throw error;
  });
  if (taught) console.log(`Taught: ${taught.name} (${taught.id})`);

  // Scan a batch, and read what came of it.
  const { id } = await partsight.startBatch('Example of a day', photos);
  const batch = await partsight.finished(id, { timeoutMs: 300_000 });
  console.log(`Batch: ${batch.counts.answered} of ${batch.counts.total} answered, ${batch.counts.failed} failed`);
  const results = await partsight.results(id);
  for (const { key, state, scan, problem } of results) {
    const answer = scan ? `${scan.verdict} ${scan.label} ${scan.confidence.toFixed(3)}` : problem;
    console.log(`  ${key}: ${state} ${answer}`);
  }

  // Log a repair with the part that was scanned.
  const added = await partsight.api.POST('/api/vehicles', { body: { make: 'Honda', model: 'Civic', year: 2015 } });
  vehicle = added.data;
  const scan = await partsight.identify(photos[1][1], { vehicleId: vehicle.id, read: 'wait' }).catch((error) => {
    if (error instanceof PartsightError && error.code === 'not-identified') return null;
    throw error;
  });
  const today = new Date().toISOString().slice(0, 10);
  const repair = await partsight.logRepair(
    scan
      ? { scanId: scan.id, mileage: 52_000 }
      : { vehicleId: vehicle.id, mileage: 52_000, partReplaced: 'Part', repairDate: today },
  );
  console.log(`Repair: ${repair.partReplaced} on ${repair.repairDate}`);

  await new Promise((resolve) => setTimeout(resolve, 2_500));
  listening.abort();
  await stream;
  console.log(`Heard: ${heard.join(', ')}`);
} finally {
  // This was an example: the part would be found in everybody's scans, and the vehicle stand in the garage.
  if (taught) await partsight.api.DELETE('/api/catalog/types/{id}', { params: { path: { id: taught.id } } });
  if (vehicle) await partsight.api.DELETE('/api/vehicles/{id}', { params: { path: { id: vehicle.id } } });
}
