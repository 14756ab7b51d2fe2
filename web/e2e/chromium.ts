/** The browser that drives the journeys; nothing is downloaded. */
export const CHROMIUM_PATH = process.env.PARTSIGHT_CHROMIUM ?? '/usr/bin/chromium';

/** Runs as root in a container, and calls nobody by itself. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];
