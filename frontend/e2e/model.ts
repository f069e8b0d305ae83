// A model server whose turns a test writes down: an OpenAI-compatible endpoint
// that streams text piece by piece, calls tools, or goes on until it is stopped.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Called {
  call: string;
  args: object;
}

export type Step = { text: string[]; endless?: boolean } | Called | { calls: Called[] };

export class ScriptedModel {
  /** The bodies of the requests so far. */
  readonly requests: { messages: { role: string; content: unknown }[] }[] = [];
  private readonly steps: Step[] = [];
  private heard: () => void = () => {};
  /** How many streams were cut off by the program. */
  cut = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on('request', (request, response) => void model.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  script(...steps: Step[]): void {
    this.steps.push(...steps);
  }

  /** Settles once the program cut a stream off. */
  async untilCut(): Promise<void> {
    while (this.cut === 0) await new Promise<void>((resolve) => (this.heard = resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += String(part);
    this.requests.push(JSON.parse(body) as { messages: { role: string; content: unknown }[] });
    const step = this.steps.shift() ?? { text: ['The script has ended.'] };
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (delta: object, reason: string | null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
      );
    if (!('text' in step)) {
      const calls = 'calls' in step ? step.calls : [step];
      const tool_calls = calls.map((one, index) => ({
        index,
        id: `call_${this.requests.length}${index > 0 ? `_${index}` : ''}`,
        type: 'function',
        function: { name: one.call, arguments: JSON.stringify(one.args) },
      }));
      send({ role: 'assistant', tool_calls }, null);
      send({}, 'tool_calls');
    } else {
      for (const text of step.text) send({ content: text }, null);
      if (step.endless) {
        response.on('close', () => {
          this.cut++;
          this.heard();
        });
        return;
      }
      send({}, 'stop');
    }
    response.end('data: [DONE]\n\n');
  }
}
