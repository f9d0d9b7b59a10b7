-- What a person does with the configuration in docs/other-editors.md, and what Neovim then knows.
-- STEPSCOPE_FILE is profiled; STEPSCOPE_SEEN is the JSON file to write.
local LIMIT_MS = 180000
local seen = {}

local function until_true(what, check)
  if not vim.wait(LIMIT_MS, check, 50) then
    error("waited in vain until " .. what)
  end
end

local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params(0)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, LIMIT_MS) or {}) do
    return answer.result
  end
end

local function drive()
  vim.cmd("filetype on")
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.STEPSCOPE_FILE))
  until_true("the server is there", function()
    local clients = vim.lsp.buf_get_clients(0)
    local _, client = next(clients)
    return client ~= nil and client.initialized
  end)
  vim.cmd("StepscopeProfile")
  until_true("there are findings", function()
    return #vim.diagnostic.get(0) > 0
  end)
  seen.diagnostics = vim.diagnostic.get(0)
  local last = vim.api.nvim_buf_line_count(0)
  local everything = { start = { line = 0, character = 0 }, ["end"] = { line = last, character = 0 } }
  seen.hints = ask("textDocument/inlayHint", { range = everything })
  local hottest = seen.hints[1].position
  seen.hover = ask("textDocument/hover", { position = { line = hottest.line, character = 8 } })
end

local ok, problem = pcall(drive)
if not ok then
  seen.problem = tostring(problem)
end
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.STEPSCOPE_SEEN)
vim.lsp.stop_client(vim.lsp.get_active_clients())
vim.cmd("qall!")
