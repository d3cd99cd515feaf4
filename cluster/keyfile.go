package cluster

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
)

// Two kinds of encrypted private keys are in use: PEM's own encryption (RFC
// 1421, "Proc-Type: 4,ENCRYPTED"), of older OpenSSL, and PKCS #8 (RFC 5958),
// which the standard library can't read; of the latter, the scheme PBES2 with
// PBKDF2 and AES (RFC 8018), OpenSSL's default, is read here.

const encryptedPKCS8 = "ENCRYPTED PRIVATE KEY"

var errWrongPassword = errors.New("the password is wrong")

func isEncrypted(block *pem.Block) bool {
	//lint:ignore SA1019 weak, but what users' key files have; there is no other reader
	return block.Type == encryptedPKCS8 || x509.IsEncryptedPEMBlock(block)
}

// decryptKey returns the key of an encrypted block as an unencrypted one.
func decryptKey(block *pem.Block, password string) (*pem.Block, error) {
	if block.Type == encryptedPKCS8 {
		der, err := decryptPKCS8(block.Bytes, password)
		if err != nil {
			return nil, err
		}
		return &pem.Block{Type: "PRIVATE KEY", Bytes: der}, nil
	}
	//lint:ignore SA1019 weak, but what users' key files have; there is no other reader
	der, err := x509.DecryptPEMBlock(block, []byte(password))
	if errors.Is(err, x509.IncorrectPasswordError) {
		return nil, errWrongPassword
	}
	if err != nil {
		return nil, fmt.Errorf("decrypting the key: %w", err)
	}
	return &pem.Block{Type: block.Type, Bytes: der}, nil
}

// The structures of RFC 5958, section 3, and RFC 8018, appendix A.
type (
	encryptedPrivateKeyInfo struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}
	pbes2Params struct {
		KeyDerivation pkix.AlgorithmIdentifier
		Encryption    pkix.AlgorithmIdentifier
	}
	pbkdf2Params struct {
		Salt       []byte
		Iterations int
		KeyLength  int                      `asn1:"optional"`
		PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
	}
)

const (
	oidPBES2  = "1.2.840.113549.1.5.13"
	oidPBKDF2 = "1.2.840.113549.1.5.12"
	// maxIterations keeps a damaged file from computing for hours; OpenSSL's
	// default is 2048.
	maxIterations = 10_000_000
)

func decryptPKCS8(der []byte, password string) ([]byte, error) {
	var info encryptedPrivateKeyInfo
	if err := unmarshal(der, &info); err != nil {
		return nil, err
	}
	if oid := info.Algorithm.Algorithm.String(); oid != oidPBES2 {
		return nil, unsupported("scheme", oid)
	}
	var params pbes2Params
	if err := unmarshal(info.Algorithm.Parameters.FullBytes, &params); err != nil {
		return nil, err
	}
	keyLength, err := aesKeyLength(params.Encryption.Algorithm.String())
	if err != nil {
		return nil, err
	}
	var iv []byte
	if err := unmarshal(params.Encryption.Parameters.FullBytes, &iv); err != nil {
		return nil, err
	}
	if len(iv) != aes.BlockSize || len(info.Data) == 0 || len(info.Data)%aes.BlockSize != 0 {
		return nil, errors.New("the encrypted key is damaged")
	}
	key, err := deriveKey(params.KeyDerivation, password, keyLength)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("decrypting the key: %w", err)
	}
	plain := make([]byte, len(info.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, info.Data)

	// A wrong password shows in the padding or, once in 256 times, in the key.
	pad := int(plain[len(plain)-1])
	if pad == 0 || pad > aes.BlockSize {
		return nil, errWrongPassword
	}
	plain = plain[:len(plain)-pad]
	if _, err := x509.ParsePKCS8PrivateKey(plain); err != nil {
		return nil, errWrongPassword
	}
	return plain, nil
}

func deriveKey(kdf pkix.AlgorithmIdentifier, password string, length int) ([]byte, error) {
	if oid := kdf.Algorithm.String(); oid != oidPBKDF2 {
		return nil, unsupported("key derivation", oid)
	}
	var params pbkdf2Params
	if err := unmarshal(kdf.Parameters.FullBytes, &params); err != nil {
		return nil, err
	}
	if params.Iterations < 1 || params.Iterations > maxIterations {
		return nil, fmt.Errorf("%d iterations of the key derivation are not in 1..%d", params.Iterations, maxIterations)
	}
	var newHash func() hash.Hash
	switch oid := params.PRF.Algorithm.String(); oid {
	case "", "1.2.840.113549.2.7": // HMAC with SHA-1 is RFC 8018's default
		newHash = sha1.New
	case "1.2.840.113549.2.9":
		newHash = sha256.New
	case "1.2.840.113549.2.10":
		newHash = sha512.New384
	case "1.2.840.113549.2.11":
		newHash = sha512.New
	default:
		return nil, unsupported("hash of the key derivation", oid)
	}
	key, err := pbkdf2.Key(newHash, password, params.Salt, params.Iterations, length)
	if err != nil {
		return nil, fmt.Errorf("deriving the key of the key file: %w", err)
	}
	return key, nil
}

// aesKeyLength is in bytes; the identifiers are those of AES in CBC mode.
func aesKeyLength(oid string) (int, error) {
	switch oid {
	case "2.16.840.1.101.3.4.1.2":
		return 16, nil
	case "2.16.840.1.101.3.4.1.22":
		return 24, nil
	case "2.16.840.1.101.3.4.1.42":
		return 32, nil
	default:
		return 0, unsupported("cipher", oid)
	}
}

func unsupported(what, oid string) error {
	return fmt.Errorf("it is encrypted by the %s %s, and only PBES2 with PBKDF2 and AES-CBC can be read: "+
		"convert it by openssl pkcs8 -topk8 -v2 aes256", what, oid)
}

func unmarshal(der []byte, value any) error {
	rest, err := asn1.Unmarshal(der, value)
	if err == nil && len(rest) > 0 {
		err = errors.New("trailing bytes")
	}
	if err != nil {
		return fmt.Errorf("the encrypted key is damaged: %w", err)
	}
	return nil
}
