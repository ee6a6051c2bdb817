// `ai` with `ai-sdk-provider-claude-code`.
import {
  convertToModelMessages,
  DefaultChatTransport,
  generateObject,
  generateText,
  readUIMessageStream,
  streamText,
} from "ai";
import {
  createAiSdkMcpServer,
  createClaudeCode,
} from "ai-sdk-provider-claude-code";
import process from "node:process";
import { z } from "zod";

const { CLI, PLACE } = process.env;
const claudeCode = createClaudeCode({
  defaultSettings: {
    pathToClaudeCodeExecutable: CLI,
    ...JSON.parse(PLACE),
    logger: false,
  },
});
const print = (...values) =>
  process.stdout.write(`${values.map(String).join(" ")}\n`);

const scenarios = {
  async generateText() {
    const { text, finishReason, usage, warnings } = await generateText({
      model: claudeCode("sonnet"),
      prompt: "Say hello",
    });
    print(
      text,
      finishReason,
      usage.inputTokens,
      usage.outputTokens,
      warnings?.length,
    );
  },
  async streamText() {
    const { fullStream, text } = streamText({
      model: claudeCode("sonnet", { allowedTools: ["Bash"] }),
      prompt: "Count",
      onError: ({ error }) => print("error", error.message),
    });
    for await (const part of fullStream) {
      if (part.type === "text-delta") print("delta", part.text);
      else if (part.type === "tool-result") {
        print("result", JSON.stringify(part.output));
      } else print(part.type, part.toolName ?? "");
    }
    print(await text);
  },
  async useChat() {
    // The route behind the hook, and the transport that the hook uses.
    const route = async (request) => {
      const { messages } = await request.json();
      const result = streamText({
        model: claudeCode("sonnet"),
        messages: await convertToModelMessages(messages),
      });
      return result.toUIMessageStreamResponse();
    };
    const transport = new DefaultChatTransport({
      api: "http://page/api/chat",
      fetch: (url, init) => route(new Request(url, init)),
    });
    const parts = [{ type: "text", text: "Say hello" }];
    const stream = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "chat",
      messages: [{ id: "1", role: "user", parts }],
    });
    for await (const { parts } of readUIMessageStream({ stream })) {
      const texts = parts.filter(({ type, state }) =>
        type === "text" && state === "done"
      );
      for (const { text } of texts) print(text);
    }
  },
  async generateObject() {
    const { object } = await generateObject({
      model: claudeCode("sonnet"),
      schema: z.object({ name: z.string(), age: z.number() }),
      prompt: "Who?",
    });
    print(JSON.stringify(object));
  },
  async tools() {
    const server = createAiSdkMcpServer("shop", {
      stock: {
        description: "How many there are",
        inputSchema: z.object({ article: z.string() }),
        execute: ({ article }) => `7 of ${article}`,
      },
    });
    const asked = [];
    const { text, steps } = await generateText({
      model: claudeCode("sonnet", {
        mcpServers: { shop: server },
        streamingInput: "always",
        canUseTool: (name, input) => {
          asked.push(name);
          return Promise.resolve({ behavior: "allow", updatedInput: input });
        },
      }),
      prompt: "How many?",
    });
    print(text, asked.join(), steps.length);
  },
  async aborted() {
    const abort = new AbortController();
    try {
      const { textStream } = streamText({
        model: claudeCode("sonnet"),
        prompt: "Wait",
        abortSignal: abort.signal,
        onError: ({ error }) => print("error", error.name),
        onAbort: () => print("aborted"),
      });
      for await (const text of textStream) {
        print(text);
        abort.abort();
      }
    } catch (error) {
      print(error.name);
    }
  },
  async refused() {
    try {
      await generateText({
        model: claudeCode("sonnet"),
        prompt: "Fail",
        maxRetries: 0,
      });
    } catch (error) {
      print(error.name, error.message);
    }
  },
};
await scenarios[process.argv[2]]();
