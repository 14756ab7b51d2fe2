import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base } from './fixtures';

/** A vision-LLM outside the server, speaking its real protocol. */
type OutsideService = Awaited<ReturnType<typeof serve>> & {
  /** What the vision-LLM was asked, as the program of the server wrote it. */
  questions: string[];
};

type Completion = { messages: { content: { type: string; text?: string }[] }[] };

/** A journey with a server that may ask it, on a plan that has a second opinion. */
export const test = base.extend<{ service: OutsideService }>({
  service: async ({}, use) => {
    const service = await startOutsideService();
    await use(service);
    await service.stop();
  },
  settings: async ({ service }, use) => {
    await use({
      PARTSIGHT_PLAN: 'pro',
      PARTSIGHT_JUDGE_PROVIDER: 'openai-compatible',
      PARTSIGHT_JUDGE_BASE_URL: `${service.url}/v1`,
      PARTSIGHT_JUDGE_MODEL: 'eye-1',
      PARTSIGHT_JUDGE_TIMEOUT_SECONDS: '120',
      PARTSIGHT_JUDGE_INPUT_PRICE: '2.5',
      PARTSIGHT_JUDGE_OUTPUT_PRICE: '10',
    });
  },
});

async function startOutsideService(): Promise<OutsideService> {
  const questions: string[] = [];
  const service = await serve(async (request) => completion(await textOf(request), questions));
  return { ...service, questions };
}

/** A service on this machine that answers each request with JSON; with null where it is away. */
export async function serve(answer: (request: IncomingMessage) => Promise<object | null>) {
  const server = createServer((request, response) => {
    void answer(request).then((body) => {
      response.statusCode = body === null ? 503 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  // No call comes just as an idle connection ends.
  server.keepAliveTimeout = 0;
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((stopped) => {
      server.closeAllConnections();
      server.close(() => stopped());
    });
  return { url: `http://127.0.0.1:${port}`, stop };
}

type Question = { candidates?: { label: string }[]; part?: string; make?: string };

function completion(body: string, questions: string[]) {
  const { messages } = JSON.parse(body) as Completion;
  const question = messages[1]?.content.find(({ type }) => type === 'text')?.text ?? '{}';
  questions.push(question);
  const content = JSON.stringify(answerTo(JSON.parse(question) as Question));
  return {
    id: 'completion-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
  };
}

function answerTo({ candidates, part, make }: Question) {
  if (candidates !== undefined) {
    // The second candidate, as a judge would name that sees more than the model.
    return {
      label: candidates[1]?.label,
      confidence: 0.9,
      visibleEvidence: 'A vented edge between two friction faces.',
      partNumbers: ['45251-TBA-A00'],
      betterPhoto: 'Photograph the hub from the front.',
    };
  }
  if (part === undefined) {
    return {
      grade: '10W-40',
      capacityQuarts: 3.2,
      intervalMiles: 6000,
      intervalMonths: 12,
      standard: 'API <b>SG</b>',
    };
  }
  if (make !== undefined) {
    return { notes: ['The two engines take different plugs.'], compare: ['Thread reach'] };
  }
  return {
    known: true,
    difficulty: 'medium',
    timeMinutesLow: 60,
    timeMinutesHigh: 120,
    tools: ['Ratchet'],
    steps: ['Let the engine cool.', 'Undo the two bolts.', 'Fit the new valve.'],
    safety: 'The exhaust stays hot for a long time.',
  };
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
