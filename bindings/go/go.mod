module github.com/OWNER/reversion/bindings/go

go 1.22

require github.com/tetratelabs/wazero v1.9.0
