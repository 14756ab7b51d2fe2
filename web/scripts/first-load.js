/**
 * `npm run size`: what the first load of Home takes, against its budget.
 *
 * Counts the scripts of a signed-in person with a vehicle, each compressed as the server does it. The
 * model in the browser and its runtime come with the camera and do not count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUDGET_BYTES = 147.5 * 1024;
/** The entry, and what Home loads by itself; a journey compares this list with a browser. */
const ROOTS = ['index', 'home', 'offline-support'];

const folder = resolve(import.meta.dirname, '../dist/assets');
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));

const wanted = new Set();
for (const root of ROOTS) {
  const file = files.find((name) => new RegExp(`^${root}-[\\w-]{8}\\.js$`).test(name));
  if (file === undefined) throw new Error(`dist has no ${root}-*.js: run npm run build`);
  follow(file);
}

/** A script with all that it imports before it runs. */
function follow(file) {
  if (wanted.has(file)) return;
  wanted.add(file);
  const code = readFileSync(resolve(folder, file), 'utf8');
  for (const [, imported] of code.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
    follow(imported);
  }
}

const sizes = [...wanted]
  .map((file) => ({ file, bytes: gzipSync(readFileSync(resolve(folder, file))).length }))
  .toSorted((one, other) => other.bytes - one.bytes);
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);

if (process.argv.includes('--list')) {
  for (const { file, bytes } of sizes) console.log(`${kilobytes(bytes)}  ${file}`);
}
console.log(`-- First load of Home: ${kilobytes(total)} of ${kilobytes(BUDGET_BYTES)} compressed`);
if (total > BUDGET_BYTES) {
  console.error('Over the budget. `npm run size -- --list` says what is in it.');
  process.exitCode = 1;
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
