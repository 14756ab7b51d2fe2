/**
 * Names one call of the server, which then answers it once however often it is sent (`Idempotency-Key`).
 * `crypto.randomUUID` is missing on pages that came over plain HTTP.
 */
export function newCallKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
