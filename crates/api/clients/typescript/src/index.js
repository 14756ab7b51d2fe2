import createClient from 'openapi-fetch';

/** Photographs in one form: they are in memory together. */
const PHOTOS_A_FORM = 20;
const LOOK_EVERY_MS = 500;
/** From then on a batch is looked at less often: each look counts against the requests of the key. */
const LOOK_OFTEN_MS = 5000;
const LOOK_LATER_EVERY_MS = 2000;
/** While a server is away, such as for an upgrade. */
const CALL_AGAIN_MS = 2000;
/** What is written would be lost at another address, to which it would be sent as a question. */
const REDIRECT = 'manual';

export class PartsightError extends Error {
  constructor(status, problem, retryAfterSeconds = null) {
    super(problem.detail || `the server answered ${status}`);
    this.name = 'PartsightError';
    this.status = status;
    this.code = problem.code ?? '';
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static async of(response) {
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      const to = response.headers.get('location');
      const detail = `the server leads to another address${to === null ? '' : `, ${to}`}`;
      return new PartsightError(response.status, { detail });
    }
    const answer = await response.json().catch(() => null);
    // A proxy may answer with a text.
    const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
    const seconds = response.headers.get('retry-after')?.trim() ?? '';
    const retryAfter = /^\d+$/.test(seconds) ? Number(seconds) : null;
    return new PartsightError(response.status, isObject ? answer : {}, retryAfter);
  }
}

export class Partsight {
  #url;
  #headers;
  #fetch;

  constructor({ url, key, fetch = globalThis.fetch }) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = { authorization: `Bearer ${key}` };
    this.#fetch = (request) => fetch(request);
    this.api = createClient({
      baseUrl: this.#url,
      headers: this.#headers,
      fetch: this.#fetch,
      redirect: REDIRECT,
    });
    this.api.use({
      async onResponse({ response }) {
        if (!response.ok) throw await PartsightError.of(response);
      },
    });
  }

  async identify(photos, { vehicleId, read = 'later', idempotencyKey } = {}) {
    const form = new FormData();
    for (const photo of Array.isArray(photos) ? photos : [photos]) {
      form.append('image', blob(photo), 'photo');
    }
    if (vehicleId !== undefined) form.append('vehicleId', vehicleId);
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return (await this.#send(`/api/identify?read=${read}`, { body: form, headers })).json();
  }

  async teach(name, photos, fields) {
    const form = new FormData();
    form.append('name', name);
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    for (const photo of photos) form.append('image', blob(photo), 'photo');
    return (await this.#send('/api/catalog/types', { body: form })).json();
  }

  async startBatch(name, photos, { batchId } = {}) {
    const id = batchId ?? (await this.api.POST('/api/batches', { body: { name } })).data.id;
    let form = new FormData();
    let count = 0;
    const send = async () => {
      if (count > 0) await this.#send(`/api/batches/${id}/photos`, { body: form });
      form = new FormData();
      count = 0;
    };
    for (const [key, photo] of photos) {
      // A key stands before the photograph that it names.
      form.append('key', key);
      form.append('photo', blob(photo), key);
      count += 1;
      if (count === PHOTOS_A_FORM) await send();
    }
    await send();
    const path = { id };
    return (await this.api.POST('/api/batches/{id}/start', { params: { path } })).data;
  }

  async finished(batchId, { timeoutMs = Infinity } = {}) {
    const begin = Date.now();
    const params = { path: { id: batchId } };
    for (;;) {
      let wait = Date.now() - begin < LOOK_OFTEN_MS ? LOOK_EVERY_MS : LOOK_LATER_EVERY_MS;
      let cause;
      const answer = await this.api.GET('/api/batches/{id}', { params }).catch((error) => {
        if (!isAway(error)) throw error;
        cause = error;
        wait = pauseAfter(error);
      });
      const batch = answer?.data;
      if (batch?.state === 'done') return batch;
      if (batch !== undefined && batch.state !== 'running') {
        throw new Error(`the batch is ${batch.state}: ${batch.reason ?? 'no reason'}`);
      }
      const left = begin + timeoutMs - Date.now();
      if (left <= 0) throw new Error('the batch is not finished in time', { cause });
      await pause(Math.min(wait, left));
    }
  }

  async results(batchId) {
    const answer = await this.#send(`/api/batches/${batchId}/results?format=jsonl`);
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  }

  async logRepair(repair) {
    return (await this.api.POST('/api/repair-history', { body: repair })).data;
  }

  async *events({ after, signal } = {}) {
    let last = after;
    let isKnown = false;
    while (signal?.aborted !== true) {
      const headers = last === undefined ? {} : { 'last-event-id': `${last}` };
      try {
        const { body } = await this.#send('/api/events', { headers, signal });
        isKnown = true;
        for await (const { event, id, data } of eventsOf(body)) {
          last = Number(id);
          if (event !== 'ready') yield { number: last, ...JSON.parse(data) };
        }
      } catch (error) {
        if (!isKnown || signal?.aborted === true || !isAway(error)) throw error;
        await pause(pauseAfter(error));
      }
      await pause(LOOK_EVERY_MS);
    }
  }

  async #send(path, { body, headers = {}, signal } = {}) {
    const request = new Request(`${this.#url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...this.#headers, ...headers },
      body,
      signal,
      redirect: REDIRECT,
    });
    const response = await this.#fetch(request);
    if (!response.ok) throw await PartsightError.of(response);
    return response;
  }
}

function blob(photo) {
  return photo instanceof Blob ? photo : new Blob([photo]);
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Whether the same call may succeed later: nobody answered, the answer broke off, or the server said so. */
function isAway(error) {
  if (error instanceof PartsightError) return error.status === 429 || error.status >= 500;
  return error instanceof TypeError;
}

/** Milliseconds until the call is made again. */
function pauseAfter(error) {
  return Math.max(CALL_AGAIN_MS, 1000 * (error.retryAfterSeconds ?? 0));
}

/** The server-sent events of a body. */
async function* eventsOf(body) {
  let text = '';
  const decoder = new TextDecoder();
  // Not every browser lets a body be iterated over.
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop();
      for (const block of blocks) {
        const fields = {};
        for (const line of block.split('\n')) {
          const end = line.indexOf(':');
          // The pattern of a line would end at U+2028, which may stand in a name.
          if (end > 0) fields[line.slice(0, end)] = line.slice(end + 1).replace(/^ /, '');
        }
        // What keeps the connection open has no data.
        if (fields.data !== undefined) yield fields;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function connect(options) {
  return new Partsight(options);
}
