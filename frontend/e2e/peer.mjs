// A server for the browser tests, on the SDK that the test set-up installs. What
// its tool says stands in a file, so that a test can change it between two starts.
//   node peer.mjs FILE
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../testdata/npm/package.json', import.meta.url));
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

const tools = () => JSON.parse(readFileSync(process.argv[2], 'utf8')).map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));

const server = new Server({ name: 'peer', version: '3.2.1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools() }));
// It says how far it is where the caller asks for that.
server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
  const token = request.params._meta?.progressToken;
  if (token !== undefined) {
    for (const [done, message] of [[1, 'first part'], [2, 'second part']]) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: token, progress: done, total: 3, message } });
    }
  }
  // The call goes on until a file is there, so that a test can look at it meanwhile.
  if (request.params.name === 'wait') await present(`${process.argv[2]}.go`);
  return { content: [{ type: 'text', text: 'done' }] };
});

async function present(path) {
  const { watch, existsSync } = await import('node:fs');
  const { dirname } = await import('node:path');
  await new Promise((resolve) => {
    const watcher = watch(dirname(path), look);
    function look() {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    }
    look();
  });
}

await server.connect(new StdioServerTransport());
