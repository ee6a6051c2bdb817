// The page with useChat of the AI SDK: text, thinking, tools, permissions, questions, stop, reload.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

// The thread is in the address: /use_chat.html#2 is another one.
const api = `/ai-sdk/${encodeURIComponent(location.hash.slice(1) || "1")}`;
const transport = new DefaultChatTransport({
  api,
  // The server keeps the conversation: the prompt is enough.
  prepareSendMessagesRequest: ({ messages }) => ({
    body: { prompt: messages.at(-1).parts[0].text },
  }),
  prepareReconnectToStreamRequest: () => ({ api }),
});

const answer = (id, decision) =>
  fetch(`${api}/approvals`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, decision }),
  });

function Tool({ part: { toolName, state, input, output, approval } }) {
  const [answers, setAnswers] = useState({});
  const button = (label, onClick) =>
    h("button", { key: label, onClick }, label);
  const choose = (question, label) => () => {
    const all = { ...answers, [question]: label };
    setAnswers(all);
    if (Object.keys(all).length < input.questions.length) return;
    const updatedInput = { ...input, answers: all };
    answer(approval.id, { behavior: "allow", updatedInput });
  };
  const allow = () => answer(approval.id, { behavior: "allow" });
  const deny = () => answer(approval.id, { behavior: "deny", message: "No." });
  return h(
    "pre",
    { className: state },
    `${toolName} ${JSON.stringify(input)}\n${JSON.stringify(output) ?? ""}\n`,
    state !== "approval-requested" ? null : [
      ...toolName === "AskUserQuestion"
        ? input.questions.flatMap(({ question, options }) =>
          options.map(({ label }) => button(label, choose(question, label)))
        )
        : [button("Allow", allow)],
      button("Deny", deny),
    ],
  );
}

function Part({ part }) {
  if (part.type === "text") return h("p", null, part.text);
  if (part.type === "reasoning") return h("p", null, h("em", null, part.text));
  return part.type === "dynamic-tool" ? h(Tool, { part }) : null;
}

function Page({ history }) {
  const [prompt, setPrompt] = useState("");
  const { messages, sendMessage, status, error } = useChat({
    id: api,
    messages: history,
    resume: true,
    transport,
  });
  const isBusy = status === "submitted" || status === "streaming";
  const onSubmit = (event) => {
    event.preventDefault();
    sendMessage({ text: prompt });
    setPrompt("");
  };
  return h(
    "main",
    null,
    h("h1", null, "Chat"),
    messages.map(({ id, role, parts }) =>
      h(
        "section",
        { key: id, "aria-label": role },
        parts.map((part, at) => h(Part, { key: at, part })),
      )
    ),
    h("output", null, error?.message ?? status),
    h(
      "form",
      { onSubmit },
      h("input", {
        "aria-label": "Prompt",
        required: true,
        value: prompt,
        onChange: ({ target }) => setPrompt(target.value),
      }),
      h("button", null, "Send"),
      h("button", {
        type: "button",
        disabled: !isBusy,
        onClick: () => fetch(api, { method: "DELETE" }),
      }, "Stop"),
    ),
  );
}

/** Past messages, as the AI SDK has them. */
const past = await (await fetch(`${api}/history`)).json();
const history = past.flatMap(({ type, uuid, message: { content } }) => {
  const blocks = typeof content === "string"
    ? [{ type: "text", text: content }]
    : content;
  const parts = blocks.filter((block) => block.type === "text");
  return parts.length === 0 ? [] : [{ id: uuid, role: type, parts }];
});
createRoot(document.querySelector("#root")).render(h(Page, { history }));
